import type { IncomingMessage } from 'node:http';
import type { Guard } from '../permissions/guard.mjs';

/** The access key id of a caller, or why its request is refused. */
export type Identity =
  | { readonly caller: string; readonly refusal?: never }
  | { readonly caller?: never; readonly refusal: string };

/**
 * Returns who has sent a request that has an emulator's address in the Host header and a valid signature. The body is
 * needed where `x-amz-content-sha256` does not name its hash.
 */
export declare function identify(
  message: IncomingMessage,
  guard: Pick<Guard, 'principal'>,
  body?: Uint8Array,
): Promise<Identity>;

/** Whether the Host header is the address that the connection was made to. */
export declare function isOwnHost(message: IncomingMessage): boolean;
