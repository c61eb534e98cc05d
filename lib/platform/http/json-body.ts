import type { IncomingMessage } from 'node:http';
import { isObject } from '../../../functions/core/json.ts';
import { HttpError } from '../../http/http-error.ts';

/** Returns the body as a JSON object, empty when there is none. Throws 400 for anything else, 413 beyond the limit. */
export async function jsonBody(
  request: IncomingMessage,
  limitBytes: number,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await bodyText(request, limitBytes);
  if (text.trim() === '') return {};
  const value = parse(text);
  // A schema of records would leave out `constructor` and `prototype`, which variables may be called.
  if (isObject(value)) return value;
  throw new HttpError(400, 'The body is not a JSON object.');
}

async function bodyText(request: IncomingMessage, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Not destroyed on return: the connection is still needed for the 413 response.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const part = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    bytes += part.length;
    if (bytes > limitBytes) throw new HttpError(413, `The body is larger than ${limitBytes} bytes.`);
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'The body is not valid JSON.');
  }
}
