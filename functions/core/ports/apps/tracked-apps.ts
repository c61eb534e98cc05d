import type { AppOwner } from '../../entry/app-owner.ts';
import type { AppRef } from '../hosting-platform.ts';

/** An application with the branch that its pushes deploy. */
export interface TrackedApp extends AppRef {
  readonly owner: AppOwner;
  readonly branch: string;
  /** When it was compared with the tip of the branch, in milliseconds since 1970; 0: never. */
  readonly comparedAt: number;
}

/**
 * The applications whose branches are compared with their tips: those that have been deployed from a push or its build.
 */
export interface TrackedApps {
  /** Returns up to `limit` applications that are due by `now`, the longest overdue first. */
  toCompare(now: number, limit: number): Promise<readonly AppRef[]>;
  /** Returns an application; null when it has never been deployed from a push, or was removed. */
  tracked(app: AppRef): Promise<TrackedApp | null>;
  /** Keeps when an application was compared, if it was, and when it is due again. One that was removed stays so. */
  compared(app: AppRef, times: { readonly at?: number; readonly dueAt: number }): Promise<void>;
}
