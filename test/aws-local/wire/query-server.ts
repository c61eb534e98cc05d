import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../../lib/http/ports.ts';
import { identify } from '../access/check.ts';
import { OPERATOR_ONLY } from '../permissions/operator.ts';

/** The parameters of a call. */
export type Parameters = Readonly<Record<string, string>>;

/** An error as AWS answers it. */
export class QueryError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

/** An action: the parameters that AWS documents, of which it may get any, and what it does. */
export interface Action {
  /** `Parameters.member.N.ParameterKey` stands for each member. */
  readonly takes: readonly string[];
  readonly needs?: readonly string[];
  /** Returns the content of `<Action>Result`. */
  readonly run: (parameters: Parameters) => Xml | Promise<Xml>;
}

/** Content of an element: a text, elements by name, or `member` elements. */
export type Xml = string | readonly Xml[] | { readonly [name: string]: Xml | undefined };

/** A service that speaks the Query protocol, to the operator only. */
export interface QueryService {
  readonly version: string;
  readonly namespace: string;
  readonly actions: Readonly<Record<string, Action>>;
}

/** A running service, with what was refused for not being a call that AWS documents. */
export interface QueryServer {
  readonly endpoint: string;
  /** The actions in the order of their calls. */
  readonly calls: string[];
  readonly mistakes: string[];
  close(): Promise<void>;
}

/**
 * Serves a service on a free port. A call with a wrong signature or version, an unknown action or a parameter that the
 * action does not have is refused, and is a mistake of the caller.
 *
 * @see https://smithy.io/2.0/aws/protocols/aws-query-protocol.html
 */
export async function startQueryServer({ version, namespace, actions }: QueryService): Promise<QueryServer> {
  const calls: string[] = [];
  const mistakes: string[] = [];
  const mistake = (text: string, code = 'ValidationError'): QueryError => {
    mistakes.push(text);
    return new QueryError(code, text);
  };
  const answer = async (message: IncomingMessage): Promise<string> => {
    const body = await buffer(message);
    const { refusal, caller } = await identify(message, OPERATOR_ONLY, { body });
    if (refusal !== undefined) throw mistake(refusal, 'SignatureDoesNotMatch');
    const { Action: name = '', Version, ...parameters } = Object.fromEntries(new URLSearchParams(body.toString()));
    const action = actions[name];
    if (Version !== version) throw mistake(`The version of ${name} is ${Version}`);
    if (!action) throw mistake(`${name} is not an action`, 'InvalidAction');
    calls.push(name);
    const other = Object.keys(parameters).find((key) => !action.takes.includes(key.replace(/\.\d+(?=\.|$)/g, '.N')));
    if (other !== undefined) throw mistake(`${name} does not have the parameter ${other}`);
    const missing = action.needs?.find((key) => !parameters[key]);
    if (missing !== undefined) throw mistake(`${name} needs ${missing}`);
    const denial = OPERATOR_ONLY.denial(caller, undefined);
    if (denial !== undefined) throw new QueryError('AccessDenied', denial, 403);
    const result = xml({ [`${name}Result`]: await action.run(parameters), ResponseMetadata: { RequestId: '1' } });
    return `<${name}Response xmlns="${namespace}">${result}</${name}Response>`;
  };
  const server = createServer((request, response) => {
    answer(request).then(
      (text) => response.writeHead(200, { 'content-type': 'text/xml' }).end(text),
      (error: unknown) => {
        const { code, message, status } =
          error instanceof QueryError ? error : new QueryError('InternalFailure', String(error), 500);
        const said = xml({ Error: { Type: 'Sender', Code: code, Message: message }, RequestId: '1' });
        response
          .writeHead(status, { 'content-type': 'text/xml' })
          .end(`<ErrorResponse xmlns="${namespace}">${said}</ErrorResponse>`);
      },
    );
  });
  const endpoint = `http://127.0.0.1:${await listen(server, 0)}`;
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return { endpoint, calls, mistakes, close };
}

function xml(value: Xml): string {
  if (typeof value === 'string') {
    return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  }
  if (isList(value)) return value.map((member) => `<member>${xml(member)}</member>`).join('');
  return Object.entries(value)
    .map(([name, content]) => (content === undefined ? '' : `<${name}>${xml(content)}</${name}>`))
    .join('');
}

function isList(value: readonly Xml[] | { readonly [name: string]: Xml | undefined }): value is readonly Xml[] {
  return Array.isArray(value);
}
