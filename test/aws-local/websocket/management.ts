import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { identify } from '../access/check.ts';
import { NOT_SIGNED } from '../access/signature.ts';
import { executeApiArn } from '../arn.ts';
import { bodyOf } from '../wire/endpoint.ts';
import type { WebSocketApi, WebSocketBackend } from './web-socket-api.ts';

/** A response of the management API; `errorType` is the name of the error that SDKs throw. */
interface ManagementResponse {
  readonly status: number;
  readonly errorType?: string;
  readonly body?: object;
}

/** The API, its connections and limits, and who may manage them. */
type Managed = Pick<WebSocketBackend, 'api' | 'connections' | 'limits' | 'guard'>;

/** Returns the ARN of an API's stage, before the route or the path that a permission is for. */
export function arnOfStage({ apiId, stage }: Pick<WebSocketApi, 'apiId' | 'stage'>): string {
  return executeApiArn(apiId, stage);
}

/**
 * Answers a request to `@connections`: POST sends the body to a client; other methods are not emulated. As with the
 * other emulators, a request must be signed, by who may do that.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-how-to-call-websocket-api-connections.html
 */
export async function manage(managed: Managed, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const answer = await answerTo(managed, message);
  const body = answer.body ? JSON.stringify(answer.body) : '';
  response.writeHead(answer.status, {
    'x-amzn-RequestId': randomUUID(),
    ...(answer.errorType === undefined ? {} : { 'x-amzn-ErrorType': answer.errorType }),
    ...(body === '' ? {} : { 'Content-Type': 'application/json' }),
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

async function answerTo(managed: Managed, message: IncomingMessage): Promise<ManagementResponse> {
  const body = await bodyOf(message, managed.limits.messageBytes);
  const [, encoded = ''] = /^\/(?:@|%40)connections\/([^/?]+)$/.exec(message.url ?? '') ?? [];
  const id = decodeURIComponent(encoded);
  const { api, connections, limits, guard } = managed;
  const { caller, refusal } = await identify(message, guard, { body });
  if (refusal === NOT_SIGNED) {
    return failure(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token');
  }
  if (body === undefined) {
    return failure(413, 'PayloadTooLargeException', `The message exceeds ${limits.messageBytes} bytes`);
  }
  if (refusal !== undefined) return failure(403, 'InvalidSignatureException', `Refused: ${refusal}.`);
  const resource = `${arnOfStage(api)}/${message.method}/@connections/${id}`;
  const denial = guard.denial(caller, [{ action: 'execute-api:ManageConnections', resource }]);
  if (denial !== undefined) return failure(403, 'AccessDeniedException', denial);
  if (message.method !== 'POST') return failure(403, 'ForbiddenException', `${message.method} is not emulated`);
  return connections.get(id)?.send(body.toString()) ? { status: 200 } : GONE;
}

const GONE = failure(410, 'GoneException', 'The connection is gone');

function failure(status: number, errorType: string, message: string): ManagementResponse {
  return { status, errorType, body: { message } };
}
