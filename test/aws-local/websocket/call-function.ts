import { within } from '../../../lib/process/closing.ts';
import { functionResponse } from '../gateway/function-response.ts';
import { GatewayError } from '../gateway/gateway-error.ts';
import type { Functions } from '../invoke/invoke.ts';
import type { Integration } from './web-socket-api.ts';

/**
 * Invokes the function of a route and returns its validated response.
 *
 * @throws GatewayError INTEGRATION_TIMEOUT (504) when it takes too long, DEFAULT_5XX (502) when it throws or
 *   returns an invalid response
 */
export async function callFunction(
  functions: Pick<Functions, 'invoke'>,
  { functionName, timeoutMs }: Integration,
  event: object,
): Promise<ReturnType<typeof functionResponse>> {
  const late = () =>
    new GatewayError('INTEGRATION_TIMEOUT', { reason: `${functionName} did not answer in ${timeoutMs} ms` });
  const result = await within(timeoutMs, functions.invoke(functionName, event), late).catch((error: unknown) => {
    if (error instanceof GatewayError) throw error;
    const reason = `${functionName}: ${error instanceof Error ? error.message : String(error)}`;
    throw new GatewayError('DEFAULT_5XX', { reason });
  });
  return functionResponse(result);
}
