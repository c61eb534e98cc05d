import { FunctionError } from './function-error.ts';

/** The head of a streamed response: everything but the body. */
export interface Prelude {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly multiValueHeaders: Readonly<Record<string, unknown>>;
}

type Bytes = AsyncIterableIterator<Uint8Array>;

const DELIMITER = Buffer.alloc(8);
// The head must end within the first 16 KB of the stream.
const MAX_PRELUDE_BYTES = 16 * 1024;

/**
 * Splits the bytes of a streaming function: JSON head, eight NUL bytes, body.
 *
 * @throws FunctionError when the function ends without a head or writes an invalid one
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
 */
export async function splitPrelude(bytes: Bytes): Promise<{ prelude: Prelude; body: Bytes }> {
  let start: Buffer = Buffer.alloc(0);
  while (true) {
    const end = start.indexOf(DELIMITER);
    if (end >= 0) {
      const body = start.subarray(end + DELIMITER.length);
      return { prelude: parsePrelude(start.subarray(0, end)), body: after(body, bytes) };
    }
    if (start.length > MAX_PRELUDE_BYTES) throw await malformed(bytes, 'no response head in its first 16 KB');
    const next = await bytes.next();
    if (next.done) throw await malformed(bytes, 'ended without a response head (it leaves with the first write)');
    start = Buffer.concat([start, next.value]);
  }
}

// Not a generator: its return() before the first value would not reach `rest`, and the function would wait forever.
function after(first: Uint8Array, rest: Bytes): Bytes {
  let pending = first.byteLength > 0 ? first : undefined;
  return {
    next: async () => {
      if (pending === undefined) return rest.next();
      const value = pending;
      pending = undefined;
      return { value, done: false };
    },
    return: async () => (await rest.return?.()) ?? { value: undefined, done: true },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function parsePrelude(json: Buffer): Prelude {
  try {
    const { statusCode = 200, headers = {}, multiValueHeaders = {} } = JSON.parse(json.toString('utf8'));
    return { statusCode, headers, multiValueHeaders };
  } catch {
    throw new FunctionError({ errorType: 'Malformed', errorMessage: 'the response head is not JSON', trace: [] });
  }
}

async function malformed(bytes: Bytes, errorMessage: string): Promise<FunctionError> {
  await bytes.return?.();
  return new FunctionError({ errorType: 'Malformed', errorMessage, trace: [] });
}
