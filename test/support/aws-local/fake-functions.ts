import type { Invoker } from '../../aws-local/invoke/invoker.ts';

/** Functions that keep every event they got, in order, and answer by `handle`. */
export function fakeFunctions<Event>(handle: (event: Event, functionName: string) => unknown = () => undefined) {
  const events: Event[] = [];
  const invoker: Invoker = {
    invoke: async (functionName, event) => {
      const typed: Event = JSON.parse(JSON.stringify(event));
      events.push(typed);
      return handle(typed, functionName);
    },
  };
  return { events, invoker };
}
