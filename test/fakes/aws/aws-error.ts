/** An error as the SDK throws it. */
export class AwsError extends Error {
  readonly $metadata: { readonly httpStatusCode: number };

  constructor(name: string, httpStatusCode: number, message = name) {
    super(message);
    this.name = name;
    this.$metadata = { httpStatusCode };
  }
}

/** The calls of a fake service by the names of their commands. Each gets the input of the command. */
export type Calls = Readonly<Record<string, (input: never) => unknown>>;

/** Returns a client of the SDK that passes each command to the call of its name; another command is an error. */
export function fakeClient<Client>(calls: Calls): Client {
  const send = async (command: { readonly constructor: { readonly name: string }; readonly input: never }) => {
    const call = calls[command.constructor.name];
    if (!call) throw new AwsError('UnknownOperationException', 400, `There is no ${command.constructor.name}.`);
    return call(command.input);
  };
  return { send } as Client;
}
