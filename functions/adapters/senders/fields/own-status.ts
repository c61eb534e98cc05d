/** Every commit status that the service itself sets starts with this (`deployment-webhooks/<app>`). */
const ownPrefix = 'deployment-webhooks/';

/** Whether a commit status is the service's own: acting on it would set another one, and so on for ever. */
export function isOwnStatus(context: string): boolean {
  return context.toLowerCase().startsWith(ownPrefix);
}

/** Why nothing is done about such a status. */
export const ownStatusReason = "The status is the service's own; it is not acted on.";
