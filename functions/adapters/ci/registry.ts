import type { CiConfig } from '../../core/ports/sender.ts';
import { travisConfig } from './travis-config.ts';

/** Every CI configuration that can hold a push, in the order in which a tree is asked for them. */
export const ciConfigs: readonly CiConfig[] = [travisConfig];
