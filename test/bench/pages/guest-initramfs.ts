/** The file on the bench server that holds guest/files.c as an initramfs. */
export const guestInitramfs = 'guest-files.cpio';
