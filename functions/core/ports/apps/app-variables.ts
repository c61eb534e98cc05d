import type { AppRef } from '../hosting-platform.ts';

/**
 * The environment variables of applications, which are kept across deploys. Values are secrets: never logged, never in
 * an entry. All methods throw `request:failed` when the platform does not answer.
 */
export interface AppVariables {
  /** Returns the variables; null for an unknown application. */
  read(app: AppRef): Promise<Readonly<Record<string, string>> | null>;
  /**
   * Sets a variable. Returns false for an unknown application. Throws `request:bad_parameter` for a name or a value
   * that the platform refuses, and `request:too_large`.
   */
  set(app: AppRef, name: string, value: string): Promise<boolean>;
  /** Removes a variable. Returns false when there is none of that name, or no such application. */
  unset(app: AppRef, name: string): Promise<boolean>;
  /** Makes an application without any deploy, so that it can have variables before the first. Idempotent. */
  create(app: AppRef, packageName: string): Promise<void>;
}
