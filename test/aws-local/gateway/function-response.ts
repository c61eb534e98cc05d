import { isRecord } from '../template/intrinsics.ts';
import { GatewayError } from './gateway-responses.ts';

/** Status and headers of a function's response, as the client gets them. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
}

/** Headers of a function that API Gateway renames, because it sets them itself. */
const REMAPPED = new Set(['connection', 'date', 'server', 'www-authenticate']);
/** Headers that follow from the body as it is sent. */
const DROPPED = new Set(['content-length', 'transfer-encoding']);

/**
 * Checks what a Lambda proxy function returned.
 *
 * @throws GatewayError DEFAULT_5XX (502) when it has not the documented form
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-output-format
 */
export function functionResponse(result: unknown): ResponseHead & { readonly body: Buffer } {
  if (!isRecord(result)) throw malformed('it is no object');
  const { body = null, isBase64Encoded = false } = result;
  if (body !== null && typeof body !== 'string') throw malformed('body is not a string');
  // Without binary media types, the client would get the base64.
  if (isBase64Encoded === true) throw malformed('it is base64, and the API has no binary media types');
  return { ...responseHead(result), body: Buffer.from(body ?? '') };
}

/** Checks status and headers, of a whole response or of the head of a stream. Throws as `functionResponse` does. */
export function responseHead({ statusCode, headers, multiValueHeaders }: Record<string, unknown>): ResponseHead {
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599) throw malformed(`statusCode is ${String(statusCode)}`);
  if (Object.keys(Object(multiValueHeaders)).length > 0) throw malformed('multiValueHeaders are not emulated');
  if (headers !== undefined && !isRecord(headers)) throw malformed('headers is no object');
  const byName = new Map<string, readonly [string, string]>([['content-type', ['Content-Type', 'application/json']]]);
  for (const [name, value] of Object.entries(headers ?? {}))
    byName.set(name.toLowerCase(), [rename(name), text(name, value)]);
  for (const name of DROPPED) byName.delete(name);
  return { status, headers: [...byName.values()] };
}

function rename(name: string): string {
  return REMAPPED.has(name.toLowerCase()) ? `x-amzn-remapped-${name.toLowerCase()}` : name;
}

function text(name: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw malformed(`the header ${name} is not a string`);
}

function malformed(reason: string): GatewayError {
  return new GatewayError('DEFAULT_5XX', { reason: `the function's response is malformed: ${reason}` });
}
