/** A message in flight: `until` is when it is visible again, in milliseconds. */
interface Receipt {
  readonly handle: string;
  readonly until: number;
}

/** The content of a queue, with the messages by their ids. */
interface KeptQueue {
  readonly messages: ReadonlyMap<
    string,
    { readonly message: { readonly body: string }; readonly receipt: Receipt | null }
  >;
}

export function replay(records: Iterable<unknown>): ReadonlyMap<string, KeptQueue>;
