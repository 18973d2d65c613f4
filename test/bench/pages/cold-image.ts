/** The name of the image without its golden state, as the bench server has it. */
export const coldImage = 'cold';
