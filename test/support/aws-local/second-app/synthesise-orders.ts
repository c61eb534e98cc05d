import { synthesiseApp } from '../synthesise-app.ts';
import { OrdersStack } from './orders-stack.ts';

/** Synthesises the shop into a folder; returns the cloud assembly. */
export function synthesiseOrders(folder: string): Promise<string> {
  return synthesiseApp(folder, {
    handlers: new URL('handlers', import.meta.url),
    addStack: (app, bundles) => void new OrdersStack(app, 'Orders', bundles),
  });
}
