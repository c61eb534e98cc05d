import { optionalVariable } from '../environment.ts';

/** Returns the ARN of the function that looks after applications; only functions that start some know it. */
export function watcherArn(): string | undefined {
  return optionalVariable('PLATFORM_WATCHER');
}
