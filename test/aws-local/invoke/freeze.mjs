// Lambda freezes an execution environment that has answered: timers and sockets stop until its next invocation.
// https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html

let answered = 0;

/** Waits until what the function has printed is sent, because a frozen thread sends nothing. */
export async function flushOutput() {
  await Promise.all([process.stdout, process.stderr].map(flush));
}

/**
 * Blocks this thread until there is an invocation that it has not answered.
 *
 * @param invocations counts those that were sent to it
 */
export function freezeUntilInvoked(invocations) {
  answered += 1;
  Atomics.wait(invocations, 0, answered);
}

function flush(stream) {
  if (stream.writableLength === 0) return undefined;
  return new Promise((flushed) => stream.write('', flushed));
}
