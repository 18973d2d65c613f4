/** Of this program: what `package.json` says, which pages and workers cannot read. A test compares them. */
export const packageVersion = '0.1.0';
