import { hostingPlatformContract } from '../../../contracts/hosting-platform.ts';
import { embeddedPlatform } from '../../../support/platform/embedded.ts';

// What users see of the other ports of it is in test/service; their contracts run on it in `ports.long.test.ts`.
hostingPlatformContract('the embedded platform', embeddedPlatform);
