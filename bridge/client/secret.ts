/** Whether this could be sent as a bearer secret at all. Which ones are good is the server's to say. */
export const isSecret = (value: unknown): value is string =>
  typeof value === 'string' && /^[\w.~+/=-]{1,256}$/.test(value);
