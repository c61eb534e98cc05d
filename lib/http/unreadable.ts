import { hasCode } from '../files/error-code.ts';

/** The error of Node for bytes that are no request: https://nodejs.org/api/http.html#event-clienterror */
export type UnreadableError = Error & { readonly rawPacket?: Buffer };

/** Returns the host that the bytes name, as far as they can be read. */
export function hostIn({ rawPacket }: UnreadableError): string | undefined {
  return /^host:[ \t]*(.*)$/im.exec(rawPacket?.toString('latin1') ?? '')?.[1]?.trim();
}

/** Returns the status of the answer to them. */
export function statusOf(error: UnreadableError): number {
  if (hasCode(error, 'HPE_HEADER_OVERFLOW')) return 431;
  if (hasCode(error, 'HPE_CHUNK_EXTENSIONS_OVERFLOW')) return 413;
  return hasCode(error, 'ERR_HTTP_REQUEST_TIMEOUT') ? 408 : 400;
}
