"""The flow on Kafka: Faust agents behind a transport that neither loses nor reorders."""
