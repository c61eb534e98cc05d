/** The prefix of every commit status that the service sets (`deployment-webhooks/<app>`). */
const ownPrefix = 'deployment-webhooks/';

/** Returns whether the service has set a commit status: acting on it would set another one, in an endless loop. */
export function isOwnStatus(context: string): boolean {
  return context.toLowerCase().startsWith(ownPrefix);
}

/** The `reason` of the notice for such a status. */
export const ownStatusReason = "The status is the service's own; it is not acted on.";
