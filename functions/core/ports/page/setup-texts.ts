import type { SetupText } from '../../../api/shapes/service.ts';

/** Returns the set-up of every sender that can be set up, for the service at an address. */
export type SetupTexts = (service: string) => Promise<readonly SetupText[]>;
