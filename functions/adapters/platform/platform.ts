import type { PlatformPorts } from '../../core/ports/applications.ts';
import type { AppCron, AppHealth } from '../../core/ports/platform.ts';

/** The ports of a platform, and what is called each minute: the health that its events are compared with, and cron. */
type Ports = PlatformPorts & { readonly health: AppHealth; readonly cron: AppCron };

/**
 * A platform: what deploys and runs applications. A port is loaded when it is asked for, so that
 * a function loads only the adapters that it uses; it reads its settings from the environment then.
 */
export type Platform = { readonly [Port in keyof Ports]: () => Promise<Ports[Port]> };
