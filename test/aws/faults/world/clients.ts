import { dynamoDb } from '../../../../functions/adapters/aws/dynamodb.ts';
import { s3 } from '../../../../functions/adapters/aws/s3.ts';
import { sqs } from '../../../../functions/adapters/aws/sqs.ts';
import type { HttpClient } from '../../../../functions/adapters/hosts/http/http-client.ts';
import type { Fault } from '../../../faults/world/faults.ts';
import { faultyPlatform } from '../../../faults/world/faulty-platform.ts';
import { FAULT_HEADER } from '../../../faults/world/proxy.ts';
import { HIDDEN_SECONDS } from './aws.ts';
import { outgoing } from './runs.ts';
import type { Service } from './services.ts';

/** Time limits are shorter here, so that what hangs costs little real time, and longer than a busy machine needs. */
const HUNG_TIMEOUT_MS = 300;
const TIMEOUT_MS = 2_000;
const HOST_TIMEOUTS = { connectMs: TIMEOUT_MS, firstByteMs: TIMEOUT_MS, idleMs: TIMEOUT_MS };

/** Where the functions' clients send their requests. */
export interface Ways {
  /** The service's own address, which a request is signed for. */
  readonly endpoint: () => string;
  /** The address of the proxy in front of it. */
  readonly proxy: string;
}

/** An AWS SDK client, as far as its way through the proxy is concerned. */
interface SdkClient {
  readonly config: { endpoint?: unknown; isCustomEndpoint?: boolean; requestHandler: unknown };
}

interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
}

interface SdkHandler {
  handle(request: SdkRequest, options?: object): Promise<unknown>;
}

/** Sends what the functions' own AWS clients send through the proxies. */
export function wireClients(ways: Readonly<Record<'dynamodb' | 'sqs' | 's3', Ways>>): void {
  wire(dynamoDb(), 'dynamodb', ways.dynamodb);
  wire(sqs(), 'sqs', ways.sqs);
  wire(s3(), 's3', ways.s3);
}

/** What the broker has to know of the functions' own calls of SQS. */
export interface QueueCalls {
  readonly sent: () => void;
  readonly wanted: Map<string, number>;
  /** Returns the address of a queue by the path of its URL. */
  readonly address: (path: string) => string;
}

/**
 * Tells the broker which messages were sent, and when a function wants one again. In the emulator such a message stays
 * hidden, because its seconds are real ones.
 */
export function wireQueueCalls(calls: () => QueueCalls): void {
  sqs().middlewareStack.add(
    (next, context) => async (args) => {
      const {
        ReceiptHandle: receipt,
        VisibilityTimeout: seconds,
        QueueUrl: url,
      } = args.input as Record<string, unknown>;
      const isHidden = context.commandName === 'ChangeMessageVisibilityCommand';
      // The client goes to the address in the queue's URL, which a restart of the emulator changes.
      const QueueUrl = calls().address(new URL(String(url)).pathname);
      const input = { ...args.input, QueueUrl, ...(isHidden && { VisibilityTimeout: HIDDEN_SECONDS }) };
      const result = await next({ ...args, input });
      if (isHidden) calls().wanted.set(String(receipt), Number(seconds));
      else calls().sent();
      return result;
    },
    { step: 'initialize', name: 'queueCalls', override: true },
  );
}

function wire(client: SdkClient, service: Service, { endpoint, proxy }: Ways): void {
  // Else the SDK reads the environment at the first call, and never again.
  client.config.isCustomEndpoint = true;
  client.config.endpoint = async () => {
    const { protocol, hostname, port } = new URL(endpoint());
    return { protocol, hostname, port: Number(port), path: '/' };
  };
  const handler = client.config.requestHandler as SdkHandler;
  const send = handler.handle.bind(handler);
  const { hostname, port } = new URL(proxy);
  handler.handle = (request, options) =>
    outgoing({ service, what: whatOf(request) }, (fault) => {
      const headers = { ...request.headers, ...(fault && { [FAULT_HEADER]: fault }) };
      const sent = Object.assign(Object.create(Object.getPrototypeOf(request)), request);
      const limits = fault === 'hangs' || fault === 'late' ? { requestTimeout: HUNG_TIMEOUT_MS } : {};
      return send(Object.assign(sent, { hostname, port: Number(port), headers }), { ...options, ...limits });
    });
}

function whatOf({ method, path, headers }: SdkRequest): string {
  return headers['x-amz-target']?.replace(/^.*\./, '') ?? `${method} ${path}`;
}

/** Returns the HTTP client of repository hosts on its way through the proxy, with shorter time limits. */
export function hostClient(create: (timeouts: typeof HOST_TIMEOUTS) => HttpClient): HttpClient {
  const client = create(HOST_TIMEOUTS);
  return (request) =>
    outgoing({ service: 'host', what: `${request.method} ${request.url.pathname}` }, (fault) =>
      client({ ...request, headers: withFault(request.headers, fault) }),
    );
}

/** What the functions have in place of AWS Lambda. */
export const platform = faultyPlatform((what, send) => outgoing({ service: 'platform', what }, send));

function withFault(headers: Readonly<Record<string, string>>, fault: Fault | null): Record<string, string> {
  return { ...headers, ...(fault && { [FAULT_HEADER]: fault }) };
}
