/**
 * The part of playwright-core that the tests use. Its own types come with an installation on demand, too late for tsc.
 */
export interface Playwright {
  readonly chromium: { launch(options: LaunchOptions): Promise<Browser> };
}

interface LaunchOptions {
  readonly executablePath: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export interface Browser {
  newContext(options?: ContextOptions): Promise<Context>;
  close(): Promise<void>;
}

export interface ContextOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  readonly reducedMotion?: 'reduce' | 'no-preference';
  readonly timezoneId?: string;
  readonly locale?: string;
}

export interface Context {
  newPage(): Promise<Page>;
  setDefaultTimeout(milliseconds: number): void;
  setOffline(offline: boolean): Promise<void>;
  close(): Promise<void>;
}

interface ConsoleMessage {
  type(): string;
  text(): string;
  /** Of a request that failed: its address. */
  location(): { readonly url: string };
}

export interface Page {
  goto(url: string): Promise<{ headers(): Record<string, string> } | null>;
  reload(): Promise<unknown>;
  url(): string;
  getByRole(role: string, options?: { readonly name?: string | RegExp; readonly exact?: boolean }): Locator;
  getByLabel(text: string | RegExp, options?: { readonly exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { readonly exact?: boolean }): Locator;
  locator(selector: string, options?: { readonly hasText?: string | RegExp }): Locator;
  evaluate<T, A = undefined>(work: string | ((argument: A) => T | Promise<T>), argument?: A): Promise<T>;
  addInitScript(script: { readonly content: string }): Promise<unknown>;
  on(event: 'console', listener: (message: ConsoleMessage) => void): unknown;
  on(event: 'pageerror', listener: (error: Error) => void): unknown;
  on(event: 'dialog', listener: (dialog: { message(): string; dismiss(): Promise<void> }) => void): unknown;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  screenshot(options?: { readonly fullPage?: boolean; readonly path?: string }): Promise<Buffer>;
  readonly mouse: { move(x: number, y: number): Promise<void> };
  readonly keyboard: { press(key: string): Promise<void> };
  close(): Promise<void>;
}

interface Locator {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  waitFor(options?: { readonly state?: 'visible' | 'hidden' | 'attached'; readonly timeout?: number }): Promise<void>;
  textContent(): Promise<string | null>;
  getAttribute(name: string): Promise<string | null>;
  count(): Promise<number>;
  isDisabled(): Promise<boolean>;
  first(): Locator;
  nth(index: number): Locator;
  locator(selector: string): Locator;
  getByRole(role: string, options?: { readonly name?: string | RegExp; readonly exact?: boolean }): Locator;
  getByText(text: string | RegExp): Locator;
}
