import { traceRecord } from '../core/entry/mask.ts';

/**
 * Writes a line to the function's log, for operators. Errors are logged with stack and causes, in which secrets are
 * masked, because they may quote remote services. The fields must not contain an event, header or payload.
 */
export function trace(event: string, fields: Readonly<Record<string, unknown>>): void {
  console.error(logged(traceRecord(event, fields)));
}

/**
 * Returns an object that is logged as JSON. On Lambda it becomes the line's `message`, whose fields can be queried; a
 * string would be JSON in JSON. Elsewhere the console prints it as JSON on one line.
 */
function logged(line: object): object {
  const text = { value: () => JSON.stringify(line) };
  return Object.defineProperties(line, { [Symbol.for('nodejs.util.inspect.custom')]: text, toString: text });
}
