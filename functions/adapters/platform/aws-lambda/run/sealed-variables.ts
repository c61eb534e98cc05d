import type { AppRef } from '../../../../core/ports/platform.ts';
import { kmsSealer } from '../../../aws/kms-sealer.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import type { Variables } from './environment.ts';

/** Returns what seals the variables of applications, all of one together. */
export function variableSeal({ kms, sealingKey }: Pick<LambdaPlatformParts, 'kms' | 'sealingKey'>) {
  const sealer = kmsSealer(kms, sealingKey);
  const contextOf = ({ user, app }: AppRef) => ({ purpose: 'app-variables', user, app });
  return {
    seal: (app: AppRef, variables: Variables) => sealer.seal(JSON.stringify(variables), contextOf(app)),
    /** Returns the variables in a sealed string; none for undefined. */
    open: async (app: AppRef, sealed: string | undefined): Promise<Variables> =>
      sealed === undefined ? {} : JSON.parse(await sealer.open(sealed, contextOf(app))),
  };
}
