import { masked } from './entry/mask.ts';

/** Returns what is logged of an event: errors with stack and causes, in which secrets are masked. */
export function traceRecord(event: string, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { error, ...rest } = fields;
  return { event, ...rest, ...(error !== undefined && { error: described(error) }) };
}

/** Errors may quote remote services. */
function described(error: unknown): unknown {
  if (!(error instanceof Error)) return masked(String(error));
  const { name, message, stack, cause } = error;
  return {
    name,
    message: masked(message),
    stack: stack && masked(stack),
    ...(cause !== undefined && { cause: described(cause) }),
  };
}
