/** Files on the bench server: the firmware that v86 is made with. */
export const firmware = { bios: 'bios.bin', vgaBios: 'vga-bios.bin' } as const;
