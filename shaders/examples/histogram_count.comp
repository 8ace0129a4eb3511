// Brightness of every texel in 64 steps.
#include "../common/sets.glsl"

layout(local_size_x = 8, local_size_y = 8) in;

PASS uniform sampler2D scene;
PASS buffer Counts { uint counts[64]; };

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, textureSize(scene, 0)))) {
        return; // groups at the edge reach over it
    }
    // Luma weights of ITU-R BT.709.
    float luma = dot(texelFetch(scene, at, 0).rgb, vec3(0.2126, 0.7152, 0.0722));
    atomicAdd(counts[uint(clamp(luma, 0.0, 1.0) * 63.0)], 1u);
}
