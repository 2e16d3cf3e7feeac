/** The method of a client that the generated methods call. */
export const invoke = Symbol('invoke');
