import { variable } from '../adapters/aws/environment.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { once } from '../core/concurrency.ts';
import type { FailureMemory } from '../core/ports/limits.ts';
import type { RefusedCall } from '../core/ports/refused-calls.ts';
import { authorizerTrigger } from '../triggers/login/authorizer.ts';
import { storedUsers } from '../triggers/login/user-ports.ts';
import { trace } from '../triggers/trace.ts';
import { authorizer } from './authorize.ts';

// It runs before every request, so it loads the memory of wrong passwords with the first password.
const { accounts } = storedUsers();
const table = variable('CONNECTIONS_TABLE');
const failures = failureMemory(table);
const refused = { note: async (user: string, call: RefusedCall) => (await refusedCalls()).note(user, call) };

export const handler = authorizerTrigger(authorizer({ accounts, failures, refused, clock: systemClock, trace }));

async function refusedCalls() {
  const { dynamoDb } = await import('../adapters/aws/dynamodb.ts');
  const { dynamoDbRefusedCalls } = await import('../adapters/stores/dynamodb/connections/refused-calls.ts');
  return dynamoDbRefusedCalls({ client: dynamoDb(), table, clock: systemClock });
}

function failureMemory(table: string): FailureMemory {
  const load = once(async () => {
    const { dynamoDb } = await import('../adapters/aws/dynamodb.ts');
    const { dynamoDbFailures } = await import('../adapters/stores/dynamodb/connections/failure-memory.ts');
    return dynamoDbFailures({ client: dynamoDb(), table, clock: systemClock });
  });
  return {
    read: async (source) => (await load()).read(source),
    beginPause: async (source, seen, until) => (await load()).beginPause(source, seen, until),
    add: async (source) => (await load()).add(source),
    forget: async (source) => (await load()).forget(source),
  };
}
