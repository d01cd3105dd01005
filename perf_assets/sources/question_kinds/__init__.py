"""What people say of kinds of questions: classified ones, and words that tell kinds apart."""
