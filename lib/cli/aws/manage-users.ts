import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import * as v from 'valibot';
import { Failure } from '../errors.ts';
import { parsed } from '../service/api.ts';
import type { Stack } from './stack.ts';

const Refused = v.object({ error: v.string() });
const Password = v.object({ password: v.string() });
const Token = v.object({ token: v.string() });
const Revoked = v.object({ revoked: v.boolean() });
const Removed = v.object({ removed: v.boolean() });
const Users = v.object({
  users: v.array(
    v.object({ user: v.string(), tokens: v.array(v.object({ name: v.string(), createdAt: v.string() })) }),
  ),
});

export type StackUser = v.InferOutput<typeof Users>['users'][number];

export type StackUsers = ReturnType<typeof stackUsers>;

/**
 * Returns the users of a stack, by its function `ManageUsers`. What is not possible throws a `Failure`; what is not there
 * is not revoked or removed, and returns false.
 */
export function stackUsers(lambda: LambdaClient, { outputs }: Stack) {
  const name = outputs.ManageUsers ?? 'ManageUsers';
  const ask = (request: object) => invoke(lambda, name, request);
  return {
    list: async () => parsed(Users, await ask({ operation: 'list' })).users,
    add: async (user: string, password?: string) =>
      parsed(Password, await ask({ operation: 'add', user, password })).password,
    setPassword: async (user: string, password?: string) =>
      parsed(Password, await ask({ operation: 'password', user, password })).password,
    makeToken: async (user: string, token: string) =>
      parsed(Token, await ask({ operation: 'token', user, name: token })).token,
    revokeToken: async (user: string, token: string) =>
      parsed(Revoked, await ask({ operation: 'revoke', user, name: token })).revoked,
    remove: async (user: string) => parsed(Removed, await ask({ operation: 'remove', user })).removed,
  };
}

async function invoke(lambda: LambdaClient, name: string, request: object): Promise<unknown> {
  const payload = new TextEncoder().encode(JSON.stringify(request));
  const command = new InvokeCommand({ FunctionName: name, Payload: payload });
  const { FunctionError, Payload } = await lambda.send(command).catch((cause: unknown) => {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new Failure(`The function ${name} could not be invoked: ${said}`, { cause });
  });
  if (FunctionError) throw new Failure(`The function ${name} failed; its log says why.`);
  const answer: unknown = JSON.parse(new TextDecoder().decode(Payload));
  if (v.is(Refused, answer)) throw new Failure(answer.error);
  return answer;
}
