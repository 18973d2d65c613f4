/**
 * The browser cache of image files, shared by all builds of the page: their names are their
 * digests. The service worker answers from it; the machine worker fills it.
 */
export const assetCacheName = 'coppice-assets';
