/** The provider of what a person has asked for. */
export const MANUAL = 'manual';

/** The provider of pushes to the repository host of the service itself. */
export const GIT = 'git';

/** The provider of entries about incidents, of which the service itself tells. */
export const SERVICE = 'service';

/** The provider of entries for commits whose webhook was missed. */
export const RECONCILED = 'reconciled';
