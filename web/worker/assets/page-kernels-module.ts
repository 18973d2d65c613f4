/** The compiled page kernels, in base64: three kilobytes are no request of their own. Put in the place of this file by the bundler. */
export declare const pageKernels: string;
