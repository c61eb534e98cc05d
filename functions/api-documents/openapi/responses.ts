import type { Answer, Header, Ref } from '../../api/endpoints/openapi.ts';
import { header, type Row, schema } from '../../api/endpoints/row.ts';
import type { Route } from '../../api/routes.ts';
import { type ErrorCode, errorRow } from '../../core/errors.ts';

const always = { 'x-api-uuid': header('Uuid'), 'x-api-version': header('Version') };

const LOGIN_CODES: Readonly<Record<Route['login'], readonly ErrorCode[]>> = {
  deploy: ['deploy:auth:bad_creds', 'mw:auth:auth_server_down'],
  user: ['mw:auth:unauthorized', 'mw:auth:no_username', 'mw:auth:auth_server_down'],
  none: [],
};

/** The codes of what a path names. */
const NAMED_CODES: Readonly<Record<string, readonly ErrorCode[]>> = {
  application: ['status:db:not_found', 'request:unavailable'],
  id: ['status:db:not_found', 'status:db:get_by_id'],
};

export function codesOf(
  { path, login, needs }: Route,
  { codes = [], parameters = [], body }: Row,
): readonly ErrorCode[] {
  const named = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => NAMED_CODES[name] ?? []);
  const isRead = body !== undefined || parameters.some((one) => one.in === 'query');
  return [
    ...new Set<ErrorCode>([
      ...codes,
      ...named,
      ...(isRead ? (['request:bad_parameter'] as const) : []),
      ...(body ? (['request:too_large'] as const) : []),
      ...LOGIN_CODES[login],
      ...(login !== 'none' && needs !== 'read' ? (['request:forbidden'] as const) : []),
      ...(path.includes('{user}') && login === 'user' ? (['mw:auth:not_you'] as const) : []),
      ...(['request:throttled', 'request:failed'] as const),
    ]),
  ];
}

/**
 * Returns the answers of an endpoint by status: the successful ones, and a problem document for each status of its
 * codes.
 */
export function responsesOf(route: Route, row: Row): Readonly<Record<string, Answer>> {
  const answers = Object.entries(row.answers).map(([status, answer]) => [
    status,
    { ...answer, headers: { ...always, ...answer.headers } },
  ]);
  const codes = codesOf(route, row).filter((code) => !isEndOfStream(code));
  const statuses = [...new Set(codes.map((code) => errorRow(code).status))].sort();
  const problems = statuses.map((status) => [
    String(status),
    problemAnswer(codes.filter((code) => errorRow(code).status === status)),
  ]);
  return Object.fromEntries([...answers, ...problems]);
}

/** Whether a code is said in the last line of a stream, after a status of 200. */
export function isEndOfStream(code: ErrorCode): boolean {
  return code === 'status:changes:timeout' || code === 'status:changes:fatal';
}

/** Returns the answer with one of these codes, which have the same status. */
export function problemAnswer(codes: readonly ErrorCode[]): Answer {
  const ofCodes = { properties: { code: { enum: codes } } };
  return {
    description: codes.map((code) => `\`${code}\`: ${errorRow(code).title}`).join('\n\n'),
    headers: { ...always, ...extraHeaders(codes) },
    content: { 'application/problem+json': { schema: { allOf: [schema('Problem'), ofCodes] } } },
  };
}

function extraHeaders(codes: readonly ErrorCode[]): Readonly<Record<string, Header | Ref>> {
  if (codes.includes('request:throttled')) return { 'Retry-After': header('RetryAfter') };
  if (codes.includes('request:method_not_allowed')) return { Allow: header('Allow') };
  return {};
}
