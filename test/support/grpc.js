'use strict'

/** Methods of fixtures/grpc-app.js. Segments like these look like tokens in any other path. */
exports.PATHS = {
  unary: '/shop.v1.CustomerDirectory/GetRecommendationsForCustomer',
  upload: '/shop.v1.CustomerDirectory/Upload',
  watch: '/shop.v1.CustomerDirectory/Watch'
}
