import { vi } from 'vitest';

/** What every client of the SDK has. */
interface Client {
  send(command: { readonly input: object }, options?: object): Promise<object>;
}

/** A call of a service, by the name of its operation. */
interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Returns the calls of a client from now on, until the mocks are restored. `instead` may fail a call in place of the
 * service, or change its answer.
 */
export function follow(
  client: Client,
  instead: (name: string, answer: () => Promise<object>) => Promise<object> = (_, answer) => answer(),
): Call[] {
  const calls: Call[] = [];
  const send = client.send.bind(client);
  vi.spyOn(client, 'send').mockImplementation((command, options) => {
    const name = command.constructor.name.replace(/Command$/, '');
    calls.push({ name, input: { ...command.input } });
    return instead(name, () => send(command, options));
  });
  return calls;
}
