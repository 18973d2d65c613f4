/** Whether an element in `root` shows a modal dialog: keys of the page are for that then. */
export function hasOpenDialog(root: ParentNode): boolean {
  return [...root.children].some((element) => element.shadowRoot?.querySelector('dialog:modal') != null);
}
