import type { PlatformPorts } from '../../core/ports/applications.ts';
import type { AppHealth } from '../../core/ports/platform.ts';

/** The ports of a platform, and the health that its events are compared with. */
type Ports = PlatformPorts & { readonly health: AppHealth };

/**
 * A platform: what deploys and runs applications. A port is loaded when it is asked for, so that
 * a function loads only the adapters that it uses; it reads its settings from the environment then.
 */
export type Platform = { readonly [Port in keyof Ports]: () => Promise<Ports[Port]> };
