/** An operation that is emulated. */
export interface Operation {
  /** The members of the input that have an effect here; any other is refused. */
  readonly takes: readonly string[];
  /** Gets the input, which has been held against the model, and returns the output in the SDK's type. */
  readonly run: (input: object) => object | Promise<object>;
}

/** A service by its model and the operations of it that are emulated. */
export interface Service {
  /** For messages: `Lambda`. */
  readonly name: string;
  /** Loads the SDK's client, whose schemas are the model. It takes tenths of a second, so the first call does it. */
  readonly load: () => Promise<object>;
  /** The part of `X-Amz-Target` before the operation; without it the service speaks REST. */
  readonly target?: string;
  readonly operations: Readonly<Record<string, Operation>>;
}

/** An error of the service; SDK clients throw one of that name. */
export class ServiceError extends Error {
  constructor(
    readonly type: string,
    message: string,
    /** Members of the error beside its message. */
    readonly members: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** Returns an operation that is refused when it is called more often than it may be. */
export function limited({ takes, run }: Operation, admits: () => boolean, refusal: () => ServiceError): Operation {
  const within: Operation['run'] = (input) => {
    if (admits()) return run(input);
    throw refusal();
  };
  return { takes, run: within };
}

/** Defines an operation; its input and the members that it takes are held to the SDK's type. */
export function operation<Input extends object>(
  takes: readonly (keyof Input & string)[],
  run: (input: Input) => object | Promise<object>,
): Operation {
  return { takes, run: (input) => run(input as Input) };
}
