/** A request without the fields that it may leave out and has left out, as contracts have them. */
export type Given<T> = {
  readonly [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
} & {
  readonly [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>;
};

export function given<T extends object>(request: T): Given<T> {
  return Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as Given<T>;
}
