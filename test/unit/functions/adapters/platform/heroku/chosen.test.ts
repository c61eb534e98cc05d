import { chosenPlatformContract } from '../../../../../contracts/chosen-platform.ts';
import { fakeHeroku } from '../../../../../fakes/heroku/server.ts';

chosenPlatformContract('Heroku', async () => {
  const { url, token, close } = await fakeHeroku();
  return { token, environment: { PLATFORM: 'heroku', PLATFORM_URL: url, PLATFORM_TEAM: '' }, close };
});
