/** Hands bytes to the browser as a download named `name`. */
export function saveFile(name: string, bytes: Uint8Array): void {
  saveBlob(name, new Blob([bytes.slice()], { type: 'application/octet-stream' }));
}

/** The same for a blob that the browser has already. */
export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download keeps its own reference to the blob once the click was handled.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
