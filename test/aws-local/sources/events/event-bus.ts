/** The events of the services of this machine, in the form of EventBridge. */
export interface EventBus {
  /** Delivers an event to the listener; until there is one, it is kept. */
  put(event: object): void;
  /** Gets every event, first those that were kept. There is one listener. */
  listen(listener: (event: object) => void): void;
}

/** Returns a bus without a listener. */
export function eventBus(): EventBus {
  const kept: object[] = [];
  let deliver = (event: object): void => void kept.push(event);
  return {
    put: (event) => deliver(event),
    listen: (listener) => {
      deliver = listener;
      for (const event of kept.splice(0)) listener(event);
    },
  };
}
