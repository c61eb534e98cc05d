import * as v from 'valibot';
import { isRepositoryName, REPOSITORY_NAME_RULE } from '../store/folders.ts';
import { type Caller, CHALLENGE } from './access.ts';
import type { RestDependencies, RestRequest } from './dependencies.ts';
import { json, notFound, type RestAnswer, RestError, readBody } from './rest-answer.ts';

type LoggedIn = Exclude<Caller, { readonly kind: 'anonymous' }>;
type UserHandler = (deps: RestDependencies, call: RestRequest, caller: LoggedIn) => Promise<RestAnswer>;

const handlers: Readonly<Record<string, UserHandler>> = {
  'GET user': getUser,
  'POST user/repos': postRepository,
  'GET user/tokens': getTokens,
  'POST user/tokens': postToken,
};
/** The path of one token has its id. */
const TOKEN_PATH = /^DELETE user\/tokens\/([0-9a-f]+)$/;

const NewRepository = v.object({ name: v.string(), private: v.optional(v.boolean(), false) });

/** Answers a request about the user who has logged in, or throws a `RestError`. */
export async function answerUser(deps: RestDependencies, call: RestRequest): Promise<RestAnswer> {
  const line = `${call.method} ${call.path.join('/')}`;
  const [, token] = TOKEN_PATH.exec(line) ?? [];
  const handler = token === undefined ? handlers[line] : revokes(token);
  if (handler === undefined) throw notFound();
  if (call.caller.kind === 'anonymous') throw new RestError(401, 'Requires authentication', CHALLENGE);
  return handler(deps, call, call.caller);
}

async function getUser(_: RestDependencies, __: RestRequest, caller: LoggedIn): Promise<RestAnswer> {
  const user = { login: caller.login, type: 'User' };
  if (caller.kind !== 'token') return json(200, user);
  const { scopes, expiresAt } = caller.grant;
  return json(200, user, {
    'x-oauth-scopes': scopes.join(', '),
    ...(expiresAt !== null && { 'github-authentication-token-expiration': utc(expiresAt) }),
  });
}

/** https://docs.github.com/rest/repos/repos#create-a-repository-for-the-authenticated-user */
async function postRepository(deps: RestDependencies, call: RestRequest, { login }: LoggedIn): Promise<RestAnswer> {
  const body = v.safeParse(NewRepository, await readBody(call.body));
  if (!body.success) throw new RestError(422, 'The field name is missing, or a field is of the wrong type.');
  const { name, private: isPrivate } = body.output;
  if (!isRepositoryName({ owner: login, name })) throw new RestError(422, REPOSITORY_NAME_RULE);
  const isNew = await deps.repositories.create({ owner: login, name }, { private: isPrivate });
  if (!isNew) throw new RestError(422, `There is a repository ${login}/${name} already.`);
  const page = `${deps.url()}/${login}/${name}`;
  return json(201, {
    name,
    full_name: `${login}/${name}`,
    private: isPrivate,
    html_url: page,
    clone_url: `${page}.git`,
  });
}

/** A token cannot make another one: a stolen one must not be able to make itself a successor. */
async function postToken({ tokens }: RestDependencies, _: RestRequest, caller: LoggedIn): Promise<RestAnswer> {
  if (caller.kind === 'token') throw new RestError(403, 'A token is made with the password, not with another token.');
  const scopes = ['repo'];
  return json(201, { token: tokens.add({ login: caller.login, scopes }), scopes });
}

async function getTokens({ tokens }: RestDependencies, _: RestRequest, { login }: LoggedIn): Promise<RestAnswer> {
  const shown = tokens.list(login).map(({ id, createdAt, expiresAt }) => ({
    id,
    created_at: createdAt,
    expires_at: expiresAt,
  }));
  return json(200, { tokens: shown });
}

function revokes(id: string): UserHandler {
  return async ({ tokens }, _, { login }) => {
    if (!tokens.revoke(login, id)) throw notFound();
    return { status: 204, headers: {}, body: '' };
  };
}

/** Returns a time as GitHub writes the expiration of a token: `2027-01-30 09:12:13 UTC`. */
function utc(time: string): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
