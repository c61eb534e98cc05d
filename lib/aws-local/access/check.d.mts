import type { IncomingMessage } from 'node:http';
import type { Credentials } from './signature.mjs';

/**
 * Returns why an emulator refuses a request, or undefined for one that has its address in the Host header and a valid
 * signature. The body is needed where `x-amz-content-sha256` does not name its hash.
 */
export declare function refusalOfMessage(
  message: IncomingMessage,
  credentials: Credentials,
  body?: Uint8Array,
): Promise<string | undefined>;

/** Whether the Host header is the address that the connection was made to. */
export declare function isOwnHost(message: IncomingMessage): boolean;
