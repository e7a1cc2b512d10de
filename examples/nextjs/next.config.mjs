export default {
  // The agent is a thread with a file of its own, which a bundle would not have.
  serverExternalPackages: ['loopwatch'],
  // Records then name the functions and lines of the source.
  experimental: { serverMinification: false, serverSourceMaps: true }
}
