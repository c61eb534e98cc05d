/** An error as the SDK throws it. */
export class AwsError extends Error {
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(name: string, httpStatusCode: number, message = name) {
    super(message);
    this.name = name;
    this.$metadata = { httpStatusCode };
  }
}

/** The calls of a fake service by the names of their commands. Each gets the input of the command and the options of the call. */
export type Calls = Readonly<Record<string, (input: never, options: never) => unknown>>;

interface Command {
  readonly constructor: { readonly name: string };
  readonly input: never;
}

/** Returns a client of the SDK that passes each command to the call of its name; another command is an error. */
export function fakeClient<Client>(calls: Calls): Client {
  const send = async (command: Command, options: never) => {
    const call = calls[command.constructor.name];
    if (!call) throw new AwsError('UnknownOperationException', 400, `There is no ${command.constructor.name}.`);
    return call(command.input, options);
  };
  return { send } as Client;
}
