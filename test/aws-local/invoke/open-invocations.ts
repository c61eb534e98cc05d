import type { Invocation } from './invocation.ts';
import type { ErrorDescription, FromWorker, ToWorker } from './messages.ts';

type Outcome = Extract<FromWorker, { kind: 'chunks' | 'result' | 'failed' }>;

/** The invocations that one worker runs, by id: each gets the chunks and the result that the worker sends for it. */
export class OpenInvocations {
  readonly #open = new Map<string, Invocation>();
  readonly #send: (message: ToWorker) => void;

  constructor(send: (message: ToWorker) => void) {
    this.#send = send;
  }

  add(id: string, invocation: Invocation): void {
    this.#open.set(id, invocation);
  }

  remove(id: string): void {
    this.#open.delete(id);
  }

  receive(message: Outcome): void {
    if (message.kind === 'chunks') {
      for (const { id, chunk } of message.chunks) this.#deliver(id, chunk);
      return;
    }
    const invocation = this.#open.get(message.id);
    this.#open.delete(message.id);
    if (message.kind === 'result') invocation?.succeed(message.result);
    else invocation?.fail(message.error);
  }

  failAll(error: ErrorDescription): void {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const invocation of open) invocation.fail(error);
  }

  /** Bytes for an invocation that was removed are acknowledged; otherwise the function would wait forever. */
  #deliver(id: string, chunk: Uint8Array): void {
    const invocation = this.#open.get(id);
    if (invocation) invocation.chunk(chunk);
    else this.#send({ kind: 'ack', id, bytes: chunk.byteLength });
  }
}
